"""Experiments: paired deals, tallies, statistics, frames and plots."""

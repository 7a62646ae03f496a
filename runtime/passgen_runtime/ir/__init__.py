"""Contexts over IR libraries, in one package for each library."""

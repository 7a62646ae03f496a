"""The contexts over IR libraries, one package for each library."""

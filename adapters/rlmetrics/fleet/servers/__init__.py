"""Runs that lie on servers, found, judged and carried over by what each server offers."""

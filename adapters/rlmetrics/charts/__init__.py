"""Charts of curves, in terminals, as SVG and on pages: axes with values, and no word of what the curves mean."""

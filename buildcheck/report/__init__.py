"""A judged build → the answer that is shown of it: plain values, made before rendering."""

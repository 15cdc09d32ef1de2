// Replaced by the first reader.

// Tesseract has C++ headers; CMienText includes them.

// zxing-cpp has C++ headers only; CMienBarcode includes them.

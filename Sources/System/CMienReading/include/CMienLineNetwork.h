#ifndef CMIEN_LINE_NETWORK_H
#define CMIEN_LINE_NETWORK_H
#include <stddef.h>

// The network that reads lines of machine-readable zones, in OpenVINO's IR format: line-network.xml describes the layers, and
// line-network.bin holds the weights, 16-bit floats, little-endian. Constant data, valid for the life of the process.
const void *mien_line_network_model(void);
size_t mien_line_network_model_bytes(void);
const void *mien_line_network_weights(void);
size_t mien_line_network_weights_bytes(void);

#endif

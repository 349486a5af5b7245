#include "CMienLineNetwork.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char model[] = {
#embed "line-network.xml"
};

static const unsigned char weights[] = {
#embed "line-network.bin"
};

const void *mien_line_network_model(void) { return model; }
size_t mien_line_network_model_bytes(void) { return sizeof model; }
const void *mien_line_network_weights(void) { return weights; }
size_t mien_line_network_weights_bytes(void) { return sizeof weights; }

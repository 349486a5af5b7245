#ifndef CMIEN_READING_H
#define CMIEN_READING_H

// What reads documents: barcodes, printed text, and the network for lines of zones.
#include "CMienBarcode.h"
#include "CMienBarcodeWriter.h"
#include "CMienLineNetwork.h"
#include "CMienText.h"

#endif

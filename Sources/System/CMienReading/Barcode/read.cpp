#define ZX_USE_UTF8 1
#include <cstdlib>
#include <cstring>

#include <ZXing/ReadBarcode.h>

#include "CMienBarcode.h"

namespace {

ZXing::DecodeHints hints() {
    return ZXing::DecodeHints()
        .setFormats(ZXing::BarcodeFormat::PDF417)
        .setTryHarder(true)
        .setTryRotate(true)
        .setTryDownscale(true)
        .setMaxNumberOfSymbols(1);
}

int32_t read(const void *gray, int32_t width, int32_t height, uint8_t **bytes, size_t *count, int32_t corners[8]) {
    const ZXing::ImageView image(static_cast<const uint8_t *>(gray), width, height, ZXing::ImageFormat::Lum);
    const ZXing::Result result = ZXing::ReadBarcode(image, hints());
    if (!result.isValid()) return mien_barcode_none;
    const auto &content = result.bytes();
    auto *copy = static_cast<uint8_t *>(std::malloc(content.size() + 1));
    if (!copy) return mien_barcode_failed;
    std::memcpy(copy, content.data(), content.size());
    *bytes = copy;
    *count = content.size();
    for (int i = 0; i < 4; ++i) {
        corners[2 * i] = result.position()[i].x;
        corners[2 * i + 1] = result.position()[i].y;
    }
    return mien_barcode_ok;
}

}  // namespace

int32_t mien_barcode_read(const void *gray, int32_t width, int32_t height, uint8_t **bytes, size_t *count, int32_t corners[8]) {
    try {
        return read(gray, width, height, bytes, count, corners);
    } catch (...) {
        return mien_barcode_failed;
    }
}

void mien_barcode_free(uint8_t *bytes) { std::free(bytes); }

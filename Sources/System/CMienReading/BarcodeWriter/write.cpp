#define ZX_USE_UTF8 1
#include <cstdlib>
#include <string>

#include <ZXing/BitMatrix.h>
#include <ZXing/CharacterSet.h>
#include <ZXing/MultiFormatWriter.h>

#include "CMienBarcodeWriter.h"

namespace {

uint8_t *write(const uint8_t *bytes, size_t count, int32_t *width, int32_t *height) {
    std::wstring text;
    for (size_t i = 0; i < count; ++i) text += static_cast<wchar_t>(bytes[i]);
    ZXing::MultiFormatWriter writer(ZXing::BarcodeFormat::PDF417);
    writer.setEncoding(ZXing::CharacterSet::ISO8859_1).setMargin(0).setEccLevel(4);
    const ZXing::BitMatrix matrix = writer.encode(text, 1, 1);
    auto *modules = static_cast<uint8_t *>(std::malloc(static_cast<size_t>(matrix.width()) * matrix.height() + 1));
    if (!modules) return nullptr;
    for (int y = 0; y < matrix.height(); ++y)
        for (int x = 0; x < matrix.width(); ++x) modules[y * matrix.width() + x] = matrix.get(x, y);
    *width = matrix.width();
    *height = matrix.height();
    return modules;
}

}  // namespace

uint8_t *mien_barcode_write(const uint8_t *bytes, size_t count, int32_t *width, int32_t *height) {
    try {
        return write(bytes, count, width, height);
    } catch (...) {
        return nullptr;
    }
}

void mien_barcode_writer_free(uint8_t *modules) { std::free(modules); }

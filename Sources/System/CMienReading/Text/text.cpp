#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <tesseract/baseapi.h>
#include <tesseract/ocrclass.h>

#include "CMienText.h"

struct mien_text {
    tesseract::TessBaseAPI api;
    std::vector<mien_text_word> words;
    std::string text;
};

namespace {

// Tesseract divides small pieces of work among four threads of OpenMP, which then mostly wait for each
// other: two readers at once spent 60 % of their time in the kernel. It names the number of threads itself,
// so only this limit keeps them out. It counts for the calling thread.
void use_one_thread() {
    static auto *set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "omp_set_max_active_levels"));
    if (set) set(0);
}

// Leptonica, which Tesseract uses, writes to standard error otherwise.
void silence() {
    static auto *set = reinterpret_cast<int (*)(int)>(dlsym(RTLD_DEFAULT, "setMsgSeverity"));
    constexpr int none = 6;
    if (set) set(none);
}

void collect(mien_text *reader) {
    std::unique_ptr<tesseract::ResultIterator> found(reader->api.GetIterator());
    if (!found) return;
    do {
        if (found->Empty(tesseract::RIL_WORD)) continue;
        const std::unique_ptr<char[]> word(found->GetUTF8Text(tesseract::RIL_WORD));
        mien_text_word entry = {};
        if (!word || !found->BoundingBox(tesseract::RIL_WORD, &entry.left, &entry.top, &entry.right, &entry.bottom)) continue;
        const std::string utf8(word.get());
        entry.confidence = found->Confidence(tesseract::RIL_WORD);
        entry.start = reader->text.size();
        entry.bytes = utf8.size();
        reader->text += utf8;
        reader->words.push_back(entry);
    } while (found->Next(tesseract::RIL_WORD));
}

int32_t read(mien_text *reader, const void *gray, int32_t width, int32_t height, int32_t dpi, int32_t milliseconds) {
    use_one_thread();
    reader->words.clear();
    reader->text.clear();
    reader->api.SetImage(static_cast<const unsigned char *>(gray), width, height, 1, width);
    reader->api.SetSourceResolution(dpi);
    tesseract::ETEXT_DESC monitor;
    monitor.set_deadline_msecs(milliseconds);
    const int status = reader->api.Recognize(&monitor);
    const bool late = monitor.deadline_exceeded();
    if (status == 0 && !late) collect(reader);
    reader->api.Clear();
    return late ? mien_text_late : status == 0 ? mien_text_ok : mien_text_failed;
}

}  // namespace

mien_text *mien_text_create(const char *language) {
    try {
        silence();
        auto reader = std::make_unique<mien_text>();
        reader->api.SetVariable("debug_file", "/dev/null");
        if (reader->api.Init(nullptr, language, tesseract::OEM_LSTM_ONLY) != 0) return nullptr;
        // Words anywhere, in no particular order.
        reader->api.SetPageSegMode(tesseract::PSM_SPARSE_TEXT);
        return reader.release();
    } catch (...) {
        return nullptr;
    }
}

void mien_text_free(mien_text *reader) { delete reader; }

int32_t mien_text_read(mien_text *reader, const void *gray, int32_t width, int32_t height, int32_t dpi, int32_t milliseconds,
                       const mien_text_word **words, size_t *count, const char **text, size_t *bytes) {
    try {
        const int32_t status = read(reader, gray, width, height, dpi, milliseconds);
        *words = reader->words.data();
        *count = reader->words.size();
        *text = reader->text.data();
        *bytes = reader->text.size();
        return status;
    } catch (...) {
        return mien_text_failed;
    }
}

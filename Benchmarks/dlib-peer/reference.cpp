// Prints the outputs of dlib's own descriptor network for three pictures drawn by formulas, as JSON.
//
//     dlib-reference dlib_face_recognition_resnet_model_v1.dat > reference.json
//
// The pictures are those of `ReferenceChip` in Sources/Tools/MienTools/PackBuilder. They show nothing.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "descriptor_network.h"

namespace {

constexpr int side = 150;

uint8_t gradient(int x, int y, int channel) {
    const int value[] = {2 * x, 2 * y, x + y};
    return static_cast<uint8_t>(value[channel] * 255 / 298);
}

uint8_t rings(int x, int y, int channel) {
    const int dx = x - 75, dy = y - 75;
    return static_cast<uint8_t>((dx * dx * (channel + 1) + dy * dy * (3 - channel)) / 16 % 256);
}

uint8_t noise(int x, int y, int channel) {
    uint32_t h = uint32_t(x) * 73856093u ^ uint32_t(y) * 19349663u ^ uint32_t(channel) * 83492791u;
    h = (h ^ h >> 16) * 0x45d9f3b3u;
    h = (h ^ h >> 16) * 0x45d9f3b3u;
    return static_cast<uint8_t>(h ^ h >> 16);
}

struct picture {
    const char *name;
    uint8_t (*value)(int, int, int);
};

constexpr picture pictures[] = {{"gradient", gradient}, {"rings", rings}, {"noise", noise}};

dlib::matrix<dlib::rgb_pixel> draw(const picture &picture) {
    dlib::matrix<dlib::rgb_pixel> chip(side, side);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            chip(y, x) = dlib::rgb_pixel(picture.value(x, y, 0), picture.value(x, y, 1), picture.value(x, y, 2));
    return chip;
}

const char *formula =
    "150x150 RGB, x the column, y the row, c the channel (0 red, 1 green, 2 blue), integer arithmetic, / truncating. "
    "gradient: [2x, 2y, x+y][c] * 255 / 298. "
    "rings: ((x-75)^2 * (c+1) + (y-75)^2 * (3-c)) / 16 % 256. "
    "noise, in 32-bit unsigned, wrapping: h = x*73856093 ^ y*19349663 ^ c*83492791; "
    "twice: h = (h ^ h>>16) * 0x45d9f3b3; the low byte of h ^ h>>16.";

void print(const char *name, const dlib::matrix<float, 0, 1> &descriptor, bool last) {
    std::printf("    {\"name\": \"%s\", \"descriptor\": [", name);
    for (long i = 0; i < descriptor.size(); i++) std::printf("%s%.9g", i ? ", " : "", descriptor(i));
    std::printf("]}%s\n", last ? "" : ",");
}

}  // namespace

int main(int argc, char **argv) try {
    if (argc != 2) return std::fprintf(stderr, "usage: dlib-reference dlib_face_recognition_resnet_model_v1.dat\n"), 2;
    peer::descriptor_network network;
    dlib::deserialize(argv[1]) >> network;
    std::printf("{\n  \"input formula\": \"%s\",\n  \"cases\": [\n", formula);
    for (const auto &picture : pictures) print(picture.name, network(draw(picture)), &picture == std::end(pictures) - 1);
    std::printf("  ]\n}\n");
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "dlib-reference: %s\n", error.what());
    return 1;
}

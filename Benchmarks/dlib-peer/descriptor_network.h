// dlib's face descriptor network: 150x150 RGB to 128 numbers.
// The type is that of dlib 19.24, examples/dnn_face_recognition_ex.cpp (`anet_type`), and must match the file with the parameters.
#pragma once

#include <dlib/dnn.h>

namespace peer {

using namespace dlib;

template <int N, template <typename> class BN, int stride, typename SUBNET>
using block = BN<con<N, 3, 3, 1, 1, relu<BN<con<N, 3, 3, stride, stride, SUBNET>>>>>;

template <template <int, template <typename> class, int, typename> class block, int N, template <typename> class BN, typename SUBNET>
using residual = add_prev1<block<N, BN, 1, tag1<SUBNET>>>;

template <template <int, template <typename> class, int, typename> class block, int N, template <typename> class BN, typename SUBNET>
using residual_down = add_prev2<avg_pool<2, 2, 2, 2, skip1<tag2<block<N, BN, 2, tag1<SUBNET>>>>>>;

template <int N, typename SUBNET> using ares = relu<residual<block, N, affine, SUBNET>>;
template <int N, typename SUBNET> using ares_down = relu<residual_down<block, N, affine, SUBNET>>;

template <typename SUBNET> using level0 = ares_down<256, SUBNET>;
template <typename SUBNET> using level1 = ares<256, ares<256, ares_down<256, SUBNET>>>;
template <typename SUBNET> using level2 = ares<128, ares<128, ares_down<128, SUBNET>>>;
template <typename SUBNET> using level3 = ares<64, ares<64, ares<64, ares_down<64, SUBNET>>>>;
template <typename SUBNET> using level4 = ares<32, ares<32, ares<32, SUBNET>>>;

using descriptor_network = loss_metric<fc_no_bias<128, avg_pool_everything<level0<level1<level2<level3<level4<
    max_pool<3, 3, 2, 2, relu<affine<con<32, 7, 7, 2, 2, input_rgb_image_sized<150>>>>>>>>>>>>>;

}  // namespace peer

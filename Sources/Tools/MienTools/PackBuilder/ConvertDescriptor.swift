/// Converts dlib's face descriptor network to OpenVINO's intermediate representation.
///
/// The input is `image`, `[batch, 150, 150, 3]` 32-bit floats, RGB, 0...255. The output is
/// `descriptor`, `[batch, 128]` 32-bit floats, not of unit length. By dlib's own rule, two
/// descriptors closer than 0.6 (Euclidean) are of one person. The output agrees with dlib's to
/// within 1e-4 in every number. The same input gives the same bytes.
///
/// - Parameter dat: the bytes of `dlib_face_recognition_resnet_model_v1.dat`.
/// - Returns: the graph and its constants, to be stored next to each other as `….xml` and `….bin`.
/// - Throws: ``DlibArchiveError`` when `dat` is truncated or is another network.
public func convertDescriptor(dat: [UInt8]) throws(DlibArchiveError) -> (xml: [UInt8], bin: [UInt8])
{
    let architecture = DescriptorArchitecture.standard
    let network = OpenVINOIR(
        try DescriptorParameters(archive: dat, architecture: architecture),
        architecture: architecture)
    return (network.xml(network: "descriptor"), network.bin)
}

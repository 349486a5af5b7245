/// Turns dlib's face descriptor network into OpenVINO's intermediate representation.
///
/// The network takes `image`, `[batch, 150, 150, 3]` 32-bit floats, RGB, 0...255, and gives
/// `descriptor`, `[batch, 128]` 32-bit floats, not of unit length; two descriptors closer than 0.6
/// (Euclidean) are of one person by dlib's own rule. It computes what dlib computes, to within 1e-4
/// in every number. The same input gives the same bytes.
///
/// - Parameter dat: the bytes of `dlib_face_recognition_resnet_model_v1.dat`.
/// - Returns: the graph and its constants, to be stored side by side as `….xml` and `….bin`.
/// - Throws: ``DlibArchiveError`` when `dat` is cut off or is any other network.
public func convertDescriptor(dat: [UInt8]) throws(DlibArchiveError) -> (xml: [UInt8], bin: [UInt8])
{
    let architecture = DescriptorArchitecture.standard
    let network = OpenVINOIR(
        try DescriptorParameters(archive: dat, architecture: architecture),
        architecture: architecture)
    return (network.xml(network: "descriptor"), network.bin)
}

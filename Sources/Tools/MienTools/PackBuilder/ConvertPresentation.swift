/// Converts and combines MiniFASNet networks, which tell a face from a print or a screen, to
/// OpenVINO's intermediate representation.
///
/// The input is `crop`, `[1, 3, 80, 80]` 32-bit floats, BGR, 0...255. The output is `scores`,
/// `[1, 3]` probabilities, the mean of the networks'; number 1 is the probability of a face. Batch
/// normalizations are folded into the weights. The same input gives the same bytes.
///
/// - Parameter files: the bytes of 1 to 4 files of PyTorch's legacy format, such as
///   `2.7_80x80_MiniFASNetV2.pth`.
/// - Returns: the graph and its constants, to be stored next to each other as `….xml` and `….bin`.
/// - Throws: ``PresentationNetworkError`` when a file is malformed or is another network.
public func convertPresentationNetworks(_ files: [[UInt8]]) throws(PresentationNetworkError) -> (
    xml: [UInt8], bin: [UInt8]
) {
    guard (1...4).contains(files.count) else { throw .count(files.count) }
    var networks: [PresentationNetwork] = []
    for bytes in files {
        let file: TorchFile
        do { file = try TorchFile(bytes) } catch { throw .file(error) }
        networks.append(try PresentationNetwork(file))
    }
    let graph = OpenVINOIR(networks)
    return (graph.xml(network: "presentation-attack"), graph.bin)
}

/// Converts and combines MiniFASNet networks, which tell a face from a print or a screen, to
/// OpenVINO's intermediate representation.
///
/// The input is `crop`, `[1, 3, 80, 80]` 32-bit floats, BGR, 0...255. The output is `scores`,
/// `[1, 3]` probabilities, the mean of the networks'; number 1 is the probability of a face. Batch
/// normalizations are folded into the weights. The same input gives the same bytes.
///
/// - Parameter networks: 1 to 4 networks, such as that of `2.7_80x80_MiniFASNetV2.pth`.
/// - Returns: the graph and its constants, to be stored next to each other as `….xml` and `….bin`.
/// - Throws: ``PresentationNetworkError`` for another number of networks.
package func convertPresentationNetworks(_ networks: [PresentationNetwork])
    throws(PresentationNetworkError) -> (xml: [UInt8], bin: [UInt8])
{
    guard (1...4).contains(networks.count) else { throw .count(networks.count) }
    let graph = OpenVINOIR(networks)
    return (graph.xml(network: "presentation-attack"), graph.bin)
}

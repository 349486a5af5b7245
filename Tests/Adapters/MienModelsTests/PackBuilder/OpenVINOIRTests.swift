import Testing

@testable import MienTools

@Suite struct OpenVINOIRTests {
    let network = OpenVINOIR(SmallNetwork.parameters, architecture: SmallNetwork.architecture)

    @Test("a small graph is written byte for byte")
    func smallGraph() {
        var ir = OpenVINOIR()
        let image = ir.parameter("image", shape: [-1, 3])
        ir.result(
            ir.product("descriptor", image, matrix: [1, 2, 3, 4, 5, -6], outputs: 2), name: "result"
        )
        #expect(
            ir.bin == [
                0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64, 0, 0, 128, 64, 0, 0, 160, 64, 0, 0, 192,
                192,
            ])
        #expect(
            String(decoding: ir.xml(network: "small"), as: UTF8.self) == """
                <?xml version="1.0"?>
                <net name="small" version="11">
                <layers>
                <layer id="0" name="image" type="Parameter" version="opset1">
                <data shape="?, 3" element_type="f32"/>
                <output>
                <port id="0" precision="FP32" names="image"><dim>-1</dim><dim>3</dim></port>
                </output>
                </layer>
                <layer id="1" name="descriptor.weights" type="Const" version="opset1">
                <data element_type="f32" shape="3, 2" offset="0" size="24"/>
                <output>
                <port id="0" precision="FP32"><dim>3</dim><dim>2</dim></port>
                </output>
                </layer>
                <layer id="2" name="descriptor.product" type="MatMul" version="opset1">
                <data transpose_a="false" transpose_b="false"/>
                <input>
                <port id="0" precision="FP32"><dim>-1</dim><dim>3</dim></port>
                <port id="1" precision="FP32"><dim>3</dim><dim>2</dim></port>
                </input>
                <output>
                <port id="2" precision="FP32" names="descriptor"><dim>-1</dim><dim>2</dim></port>
                </output>
                </layer>
                <layer id="3" name="result" type="Result" version="opset1">
                <input>
                <port id="0" precision="FP32"><dim>-1</dim><dim>2</dim></port>
                </input>
                </layer>
                </layers>
                <edges>
                <edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
                <edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
                <edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
                </edges>
                <rt_info/>
                </net>

                """)
    }

    @Test("the same network gives the same bytes")
    func deterministic() {
        let again = OpenVINOIR(SmallNetwork.parameters, architecture: SmallNetwork.architecture)
        #expect(again.bin == network.bin)
        #expect(again.xml(network: "a") == network.xml(network: "a"))
    }

    @Test(
        "layer names are unique, constants start at multiples of 64 bytes and lie inside the file")
    func layers() throws {
        #expect(Set(network.layers.map(\.name)).count == network.layers.count)
        for layer in network.layers where layer.type == "Const" {
            let attributes = Dictionary(
                uniqueKeysWithValues: layer.attributes.map { ($0.name, $0.value) })
            let offset = try #require(Int(attributes["offset"] ?? "")),
                size = try #require(Int(attributes["size"] ?? ""))
            #expect(offset % 64 == 0 && offset + size <= network.bin.count)
        }
    }

    @Test(
        "planes shrink by the network's rules: 19 to 9, 4, then 2, with the sum padded from 1")
    func shapes() {
        func shape(_ name: String) -> [Int]? {
            network.layers.first { $0.name == name }?.output?.shape
        }
        #expect(shape("image") == [1, 19, 19, 3])
        #expect(shape("stem.convolution") == [1, 2, 9, 9])
        #expect(shape("stem.pool") == [1, 2, 4, 4])
        #expect(shape("block2.convolution2") == [1, 3, 1, 1])
        #expect(shape("block2.convolution2.filters") == [3, 3, 1, 1])
        #expect(shape("block2.long") == [1, 3, 2, 2])
        #expect(shape("block2.short") == [1, 3, 2, 2])
        #expect(shape("descriptor.product") == [1, 4])
        #expect(
            network.layers.contains { $0.name == "block1.short" } == false,
            "padding was added although none is needed")
    }
}

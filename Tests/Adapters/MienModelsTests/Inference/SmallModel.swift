import Foundation
import MienTesting

/// A network written by hand: y = 2·x + 1 on four numbers. It uses OpenVINO's intermediate
/// representation, a graph in XML and its constants.
struct SmallModel {
    let folder: ScratchFolder
    let path: String

    enum Input: String {
        case floats = "f32"
        case bytes = "u8"
        case integers = "i32"
        var precision: String { ["f32": "FP32", "u8": "U8", "i32": "I32"][rawValue]! }
    }

    /// - Parameters:
    ///   - open: Leaves the number of values open, to be set when the file is opened.
    ///   - outputType: The type to which the output is converted.
    ///   - secondInput: Adds an input that is passed through unchanged.
    init(
        input: Input = .floats, open: Bool = false, outputType: String = "f32", factor: Float = 2,
        secondInput: Bool = false
    ) throws {
        folder = try ScratchFolder()
        let dims = "<dim>1</dim><dim>\(open ? -1 : 4)</dim>", single = "<dim>1</dim><dim>1</dim>"
        let second = """
            <layer id="8" name="z" type="Parameter" version="opset1"><data shape="1,4" element_type="f32"/>
              <output><port id="0" precision="FP32" names="z"><dim>1</dim><dim>4</dim></port></output></layer>
            <layer id="9" name="same" type="Result" version="opset1">
              <input><port id="0" precision="FP32"><dim>1</dim><dim>4</dim></port></input></layer>
            """
        let outPrecision = outputType == "f32" ? "FP32" : "I32"
        let xml = """
            <?xml version="1.0"?>
            <net name="small" version="11">
            <layers>
            <layer id="0" name="x" type="Parameter" version="opset1">
              <data shape="1,\(open ? "?" : "4")" element_type="\(input.rawValue)"/>
              <output><port id="0" precision="\(input.precision)" names="x">\(dims)</port></output></layer>
            <layer id="1" name="as.float" type="Convert" version="opset1"><data destination_type="f32"/>
              <input><port id="0" precision="\(input.precision)">\(dims)</port></input>
              <output><port id="1" precision="FP32">\(dims)</port></output></layer>
            <layer id="2" name="two" type="Const" version="opset1"><data element_type="f32" shape="1, 1" offset="0" size="4"/>
              <output><port id="0" precision="FP32">\(single)</port></output></layer>
            <layer id="3" name="times" type="Multiply" version="opset1"><data auto_broadcast="numpy"/>
              <input><port id="0" precision="FP32">\(dims)</port><port id="1" precision="FP32">\(single)</port></input>
              <output><port id="2" precision="FP32">\(dims)</port></output></layer>
            <layer id="4" name="one" type="Const" version="opset1"><data element_type="f32" shape="1, 1" offset="4" size="4"/>
              <output><port id="0" precision="FP32">\(single)</port></output></layer>
            <layer id="5" name="plus" type="Add" version="opset1"><data auto_broadcast="numpy"/>
              <input><port id="0" precision="FP32">\(dims)</port><port id="1" precision="FP32">\(single)</port></input>
              <output><port id="2" precision="FP32">\(dims)</port></output></layer>
            <layer id="6" name="y" type="Convert" version="opset1"><data destination_type="\(outputType)"/>
              <input><port id="0" precision="FP32">\(dims)</port></input>
              <output><port id="1" precision="\(outPrecision)" names="y">\(dims)</port></output></layer>
            <layer id="7" name="result" type="Result" version="opset1">
              <input><port id="0" precision="\(outPrecision)">\(dims)</port></input></layer>
            \(secondInput ? second : "")
            </layers>
            <edges>
            <edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
            <edge from-layer="1" from-port="1" to-layer="3" to-port="0"/>
            <edge from-layer="2" from-port="0" to-layer="3" to-port="1"/>
            <edge from-layer="3" from-port="2" to-layer="5" to-port="0"/>
            <edge from-layer="4" from-port="0" to-layer="5" to-port="1"/>
            <edge from-layer="5" from-port="2" to-layer="6" to-port="0"/>
            <edge from-layer="6" from-port="1" to-layer="7" to-port="0"/>
            \(secondInput ? #"<edge from-layer="8" from-port="0" to-layer="9" to-port="0"/>"# : "")
            </edges>
            <rt_info/>
            </net>
            """
        try folder.write(
            [factor, 1].flatMap { value in
                (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
            }, to: "small.bin")
        path = try folder.write(xml.utf8, to: "small.xml").path
    }
}

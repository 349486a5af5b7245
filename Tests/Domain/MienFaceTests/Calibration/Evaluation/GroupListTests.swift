import MienFace
import Testing

@Suite struct GroupListTests {
    @Test func `columns, empty fields, and quoted fields are read`() throws {
        let list = try GroupList(
            "person, age ,\"skin, type\"\r\nAda,20-39,\"V \"\"dark\"\"\"\r\n\r\nBo, 40+ ,\nCy,20-39 , I\n"
        )
        #expect(list.people == ["Ada", "Bo", "Cy"])
        #expect(list.columns.map(\.name) == ["age", "skin, type"])
        #expect(list.columns[0].groups == ["20-39", "40+"])
        #expect(list.columns[0].group == ["Ada": 0, "Bo": 1, "Cy": 0])
        #expect(list.columns[1].groups == ["V \"dark\"", "I"])
        #expect(list.columns[1].group == ["Ada": 0, "Cy": 1])
    }

    @Test func `tabs separate the fields if the first line has them and no comma`() throws {
        let list = try GroupList("person\tgroup\nAda\tf\nBo, Jr\tm\nCy\t\n")
        #expect(list.columns.map(\.name) == ["group"] && list.columns[0].groups == ["f", "m"])
        #expect(list.people == ["Ada", "Bo, Jr", "Cy"] && list.columns[0].group.count == 2)
        #expect(throws: GroupListError.columns(line: 2, expected: 2, got: 3)) {
            try GroupList("person\tgroup\nAda\tf\tx\n")
        }
    }

    @Test(
        "an error names the line and the fix",
        arguments: [
            ("", GroupListError.header(line: 1)),
            ("\n\nname,age\nAda,1\n", .header(line: 3)),
            ("person\nAda\n", .header(line: 1)),
            ("person,age,age\nAda,1,1\n", .header(line: 1)),
            ("person,a,b,c,d,e,f,g,h,i\n", .header(line: 1)),
            ("person,age\nAda,1\n\nBo,2,3\n", .columns(line: 4, expected: 2, got: 3)),
            ("person,age\nAda\n", .columns(line: 2, expected: 2, got: 1)),
            ("person,age\n ,1\n", .noPerson(line: 2)),
            ("person,age\nAda,1\nBo,2\nAda,2\n", .samePerson(line: 4, first: 2)),
            ("person,age\nAda,\"1\nBo,2\n", .quote(line: 2)),
            ("person,age\nAda,1\"2\n", .quote(line: 2)),
            ("person,age\nAda,\"1\"2\n", .quote(line: 2)),
            ("person,age\nAda,1\nBo,1\n", .tooFewGroups(column: "age")),
            ("person,age\nAda,\(String(repeating: "x", count: 201))\n", .field(line: 2)),
            (
                "person,age\n" + (1...21).map { "p\($0),\($0)\n" }.joined(),
                .tooManyGroups(line: 22, column: "age")
            ),
        ])
    func errors(text: String, expected: GroupListError) {
        #expect(throws: expected) { try GroupList(text) }
        #expect("\(expected)".contains("line") || "\(expected)".contains("column"))
        #expect("\(expected)".contains(";") || "\(expected)".contains("must"), "\(expected)")
    }
}

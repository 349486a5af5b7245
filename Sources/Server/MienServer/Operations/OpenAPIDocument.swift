/// The API's description, OpenAPI 3.1.
enum OpenAPIDocument {
    static let text = OperationsFiles.openAPIDocument
}

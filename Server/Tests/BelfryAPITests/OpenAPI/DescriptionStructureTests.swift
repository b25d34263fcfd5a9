import BelfryTestSupport
import Testing

@testable import BelfryAPI

@Suite("The description itself")
struct DescriptionStructureTests {
    private let description = APIDescription.own

    /// Every value in the document with the place where it stands.
    private func all(_ value: JSONValue, at place: String = "#") -> [(place: String, value: JSONValue)] {
        let inside =
            value.members.flatMap { all($0.value, at: "\(place)/\($0.key)") }
            + value.elements.enumerated().flatMap { all($0.element, at: "\(place)/\($0.offset)") }
        return [(place: place, value: value)] + inside
    }

    private func components(_ kind: String) -> [String: JSONValue] {
        (description.document["components"]?[kind] ?? .null).members
    }

    @Test("WIRE-28: it has everything that OpenAPI 3.1 requires")
    func frame() {
        let document = description.document
        #expect(document["openapi"] == .string("3.1.0"))
        #expect(document["info"]?["title"]?.optionalString?.isEmpty == false)
        #expect(document["info"]?["version"]?.optionalString?.isEmpty == false)
        let known: Set = ["openapi", "info", "tags", "paths", "components"]
        #expect(Set(document.members.keys) == known)
        #expect(!description.operations.isEmpty)
    }

    @Test("WIRE-28: every reference resolves, and every component is referenced")
    func references() {
        var used: Set<String> = []
        for (place, value) in all(description.document) {
            guard let reference = value["$ref"]?.optionalString else { continue }
            used.insert(reference)
            #expect(description.strictly.resolve(reference) != nil, "\(place): \(reference)")
        }
        for kind in ["schemas", "parameters", "headers", "responses"] {
            for name in components(kind).keys {
                #expect(used.contains("#/components/\(kind)/\(name)"), "nobody needs the \(kind) \(name)")
            }
        }
    }

    @Test("WIRE-28: no schema has two definitions, and each uses keywords that the check understands")
    func schemas() {
        #expect(APIRoutes.description.schemas.count == APIRoutes.description.described.count)
        for (place, value) in all(description.document) where place.contains("/schema") && isSchema(value) {
            let unknown = Set(value.members.keys).subtracting(SchemaCheck.known)
            #expect(unknown.isEmpty, "\(place): \(unknown)")
        }
    }

    /// Not a table of properties, one of which may be called `type`.
    private func isSchema(_ value: JSONValue) -> Bool {
        value["$ref"]?.optionalString != nil || value["type"]?.optionalString != nil
            || !(value["type"] ?? .null).elements.isEmpty || !(value["oneOf"] ?? .null).elements.isEmpty
    }

    @Test("WIRE-28: every example matches its pattern, and every pattern has one")
    func examples() {
        for (place, value) in all(description.document) {
            guard isSchema(value) else { continue }
            for example in (value["examples"] ?? .null).elements {
                #expect(description.strictly.errors(of: example, value) == [], "\(place)")
            }
            if value["pattern"] != nil { #expect(value["examples"] != nil, "\(place)") }
        }
    }

    @Test("WIRE-28: operations have unique ids, known tags, and at least one success")
    func operations() {
        let ids = description.operations.map(\.id)
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isLetter || $0.isNumber } })
        let tags = (description.document["tags"] ?? .null).elements.compactMap { $0["name"]?.optionalString }
        for operation in description.operations {
            let definition = operation.definition
            #expect(definition["summary"]?.optionalString?.isEmpty == false, "\(operation.id)")
            let own = (definition["tags"] ?? .null).elements.compactMap(\.optionalString)
            #expect(own.count == 1 && tags.contains(own[0]), "\(operation.id)")
            #expect(operation.responses.keys.contains { $0.hasPrefix("2") }, "\(operation.id)")
            #expect(operation.responses.keys.allSatisfy { $0.count == 3 && Int($0) != nil }, "\(operation.id)")
        }
    }

    @Test("WIRE-28: the parameters of a path are declared, each once, and so are all others")
    func parameters() {
        for operation in description.operations {
            let declared = (operation.definition["parameters"] ?? .null).elements.map(description.resolved)
            let names = declared.map { "\($0["in"]?.optionalString ?? "") \($0["name"]?.optionalString ?? "")" }
            #expect(Set(names).count == names.count, "\(operation.id): \(names)")
            let parts = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }
                .map { "path \($0.dropFirst().dropLast())" }
            #expect(Set(parts) == Set(names.filter { $0.hasPrefix("path ") }), "\(operation.id)")
            for parameter in declared {
                #expect(parameter["schema"] != nil && parameter["description"] != nil, "\(operation.id)")
                let isPath = parameter["in"] == .string("path")
                #expect(!isPath || parameter["required"] == .boolean(true), "\(operation.id)")
            }
        }
    }

    @Test("WIRE-28: security names existing schemes; every error response has the error body")
    func faultsAndSecurity() {
        for operation in description.operations {
            for scheme in operation.security.flatMap(\.keys) {
                #expect(components("securitySchemes")[scheme] != nil, "\(operation.id): \(scheme)")
            }
            #expect(operation.isDevice || operation.scope != nil || operation.security.isEmpty, "\(operation.id)")
            for (status, response) in operation.responses where !status.hasPrefix("2") {
                let schema = description.resolved(response)["content"]?["application/json"]?["schema"]
                #expect(schema?["$ref"] == .string("#/components/schemas/Error"), "\(operation.id) \(status)")
            }
        }
    }
}

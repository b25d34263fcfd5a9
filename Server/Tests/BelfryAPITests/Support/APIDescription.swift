import BelfryTestSupport
import Foundation
import Hummingbird
import Synchronization

@testable import BelfryAPI

/// The description of the API as a client reads it (WIRE-28).
struct APIDescription: Sendable {
    static let own = APIDescription((try? JSONValue(parsing: APIRoutes.description.document.bytes)) ?? .null)

    let document: JSONValue
    let operations: [DescribedOperation]
    private let conforming = ConformingBodies()

    init(_ document: JSONValue) {
        self.document = document
        operations = (document["paths"] ?? .null).members.sorted { $0.key < $1.key }.flatMap { path, methods in
            methods.members.sorted { $0.key < $1.key }.map { method, definition in
                DescribedOperation(method: method.uppercased(), path: path, definition: definition)
            }
        }
    }

    /// A check of what is answered: it has nothing that is not described.
    var strictly: SchemaCheck { SchemaCheck(document: document, isClosed: true) }
    /// A check of what is asked: other fields may stand beside.
    var leniently: SchemaCheck { SchemaCheck(document: document, isClosed: false) }

    func schema(_ name: String) -> JSONValue? {
        document["components"]?["schemas"]?[name]
    }

    func operation(_ id: String) -> DescribedOperation? {
        operations.first { $0.id == id }
    }

    /// The operation that a request reaches; where two addresses fit, the one that says more.
    func operation(_ method: String, at uri: String) -> DescribedOperation? {
        // An address ends at a space, because the first line of a request cannot contain one.
        let parts = uri.prefix { $0 != "?" && $0 != " " }.split(separator: "/", omittingEmptySubsequences: false)
        return operations.filter { $0.method == method && $0.fits(parts) }.max { $0.literals < $1.literals }
    }

    /// The component to which a reference leads, or the value itself.
    func resolved(_ value: JSONValue) -> JSONValue {
        value["$ref"]?.optionalString.flatMap(strictly.resolve) ?? value
    }

    /// How a response differs from its description.
    func errors(of answer: APIResponse, to method: String, at uri: String) -> [String] {
        guard method != "OPTIONS" else { return [] }
        // The description has no HEAD of its own: where there is none, it is as with any other method.
        if method == "HEAD", answer.status == .methodNotAllowed { return [] }
        guard let operation = operation(method == "HEAD" ? "GET" : method, at: uri) else {
            return [404, 405].contains(answer.status.code) ? [] : ["there is no such operation"]
        }
        guard let response = operation.responses[String(answer.status.code)].map(resolved) else {
            return ["\(operation.id) does not answer so"]
        }
        return headerFaults(of: answer, response)
            + (method == "HEAD" ? [] : bodyFaults(of: answer, response, operation))
    }

    private func headerFaults(of answer: APIResponse, _ response: JSONValue) -> [String] {
        (response["headers"] ?? .null).members.sorted { $0.key < $1.key }.compactMap { name, header in
            let header = resolved(header)
            guard let text = answer.header(name) else {
                return header["required"] == .boolean(true) ? "the header \(name) is missing" : nil
            }
            let schema = header["schema"] ?? .null
            let number = schema["type"] == .string("integer") ? Double(text) : nil
            let value = number.map { JSONValue.number($0) } ?? .string(text)
            let found = strictly.errors(of: value, schema, at: name)
            return found.isEmpty ? nil : found.joined(separator: "; ")
        }
    }

    private func bodyFaults(
        of answer: APIResponse, _ response: JSONValue, _ operation: DescribedOperation
    ) -> [String] {
        let types = (response["content"] ?? .null).members
        guard let type = types.first else {
            return answer.body.readableBytes == 0 ? [] : ["it has a body: \(answer.text.prefix(200))"]
        }
        let sent = answer.header("Content-Type").map { String($0.prefix { $0 != ";" }) }
        guard sent == type.key else { return ["its content type is \(sent ?? "absent"), not \(type.key)"] }
        // A compressed body is looked at where compression is tested.
        guard type.key == "application/json", answer.header("Content-Encoding") == nil else { return [] }
        let sentBody = DescribedBody(
            method: operation.method, path: operation.path, status: answer.status.code, body: answer.body
        )
        if conforming.has(sentBody) { return [] }
        guard let body = try? JSONValue(parsing: answer.body.readableBytesView) else { return ["its body is no JSON"] }
        let faults = strictly.errors(of: body, type.value["schema"] ?? .null)
        if faults.isEmpty { conforming.add(sentBody) }
        return faults
    }
}

/// All that decides whether a body is as described.
private struct DescribedBody: Hashable {
    let method: String
    let path: String
    let status: Int
    let body: ByteBuffer
}

/// Bodies that were found to be as described. Tests get the same errors, and the same description, hundreds of times, and
/// to look at one takes longer than the call.
private final class ConformingBodies: Sendable {
    /// Bytes of bodies; beyond them it begins anew.
    private static let maximum = 32 * 1_048_576

    private struct State {
        var bodies: Set<DescribedBody> = []
        var bytes = 0
    }

    private let state = Mutex(State())

    func has(_ body: DescribedBody) -> Bool {
        state.withLock { $0.bodies.contains(body) }
    }

    func add(_ body: DescribedBody) {
        state.withLock { state in
            if state.bytes > Self.maximum { state = State() }
            guard state.bodies.insert(body).inserted else { return }
            state.bytes += body.body.readableBytes
        }
    }
}

/// An operation of the description.
struct DescribedOperation: Sendable {
    let method: String
    /// With the names of its parts in braces.
    let path: String
    let definition: JSONValue
    /// The parts of the path, and how many of them have no braces. Every call of a test looks for its operation.
    private let parts: [Substring]
    let literals: Int

    init(method: String, path: String, definition: JSONValue) {
        self.method = method
        self.path = path
        self.definition = definition
        parts = path.split(separator: "/", omittingEmptySubsequences: false)
        literals = parts.count { !$0.hasPrefix("{") }
    }

    var id: String { definition["operationId"]?.optionalString ?? "" }
    var responses: [String: JSONValue] { (definition["responses"] ?? .null).members }
    /// The schema of its body; nil when it has none.
    var body: JSONValue? { definition["requestBody"]?["content"]?["application/json"]?["schema"] }
    var mustHaveBody: Bool { definition["requestBody"]?["required"] == .boolean(true) }

    /// The schemes that serve by themselves: `contactToken` or `adminKey`; empty when none is needed.
    var security: [[String: JSONValue]] { (definition["security"] ?? .null).elements.map(\.members) }
    var needsContactToken: Bool { !security.isEmpty && security.allSatisfy { $0["contactToken"] != nil } }
    /// The scope that an admin key must have.
    var scope: String? { security.first?["adminKey"]?.elements.first?.optionalString }
    var isDevice: Bool { path.hasPrefix("/v3/") || path.hasPrefix("/v4/") }

    func fits(_ address: [Substring]) -> Bool {
        address.count == parts.count && zip(parts, address).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }

    /// The address with these values in the place of its parts.
    func address(_ values: [String: String]) -> String {
        values.reduce(path) { $0.replacing("{\($1.key)}", with: $1.value) }
    }
}

/// A decoder of bytes or text from outside, with properties that must hold for every input (REL-5).
package struct FuzzTarget: Sendable {
    /// The name of the target and of its corpus's folder.
    package let name: String
    private let body: @Sendable ([UInt8]) throws -> Void

    init(_ name: String, _ body: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.name = name
        self.body = body
    }

    /// - Throws: a ``Finding``. Every other failure ends the process.
    package func run(_ bytes: [UInt8]) throws {
        try body(bytes)
    }
}

/// A property that must hold but does not.
package struct Finding: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws a finding unless the property holds.
func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws {
    guard holds else { throw Finding(what()) }
}

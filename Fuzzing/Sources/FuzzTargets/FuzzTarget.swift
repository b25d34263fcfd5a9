/// A decoder of bytes or text from outside, with what must hold whatever comes (REL-5).
package struct FuzzTarget: Sendable {
    /// Names the target, and the folder of its corpus.
    package let name: String
    private let body: @Sendable ([UInt8]) throws -> Void

    init(_ name: String, _ body: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.name = name
        self.body = body
    }

    /// - Throws: a ``Finding``. Whatever else goes wrong ends the process.
    package func run(_ bytes: [UInt8]) throws {
        try body(bytes)
    }
}

/// What must hold and does not.
package struct Finding: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Ends the run of a target with a finding unless something holds.
func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws {
    guard holds else { throw Finding(what()) }
}

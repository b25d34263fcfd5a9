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

    package static func named(_ name: String) -> FuzzTarget? {
        all.first { $0.name == name }
    }

    package static let all: [FuzzTarget] = [
        FuzzTarget("addresses", AddressTarget.run),
        FuzzTarget("admin-bodies", AdminBodyTarget.run),
        FuzzTarget("bridge", BridgeTarget.run),
        FuzzTarget("compression", CompressionTarget.run),
        FuzzTarget("database-values", DatabaseValueTarget.run),
        FuzzTarget("dates", DateTarget.run),
        FuzzTarget("device-bodies", DeviceBodyTarget.run),
        FuzzTarget("events", EventTarget.run),
        FuzzTarget("html", HTMLTarget.run),
        FuzzTarget("http2-frames", HTTP2FrameTarget.run),
        FuzzTarget("in-app-page", InAppPageTarget.run),
        FuzzTarget("json", JSONTarget.run),
        FuzzTarget("json-writing", JSONWritingTarget.run),
        FuzzTarget("keys", KeyTarget.run),
        FuzzTarget("names", NameTarget.run),
        FuzzTarget("predicates", PredicateTarget.run),
        FuzzTarget("push-answers", PushAnswerTarget.run),
        FuzzTarget("request-heads", RequestHeadTarget.run),
        FuzzTarget("sdk-answers", SDKAnswerTarget.run),
        FuzzTarget("sdk-configuration", SDKConfigurationTarget.run),
        FuzzTarget("sdk-push", SDKPushTarget.run),
        FuzzTarget("snapshots", SnapshotTarget.run),
        FuzzTarget("templates", TemplateTarget.run),
        FuzzTarget("tokens", TokenTarget.run),
    ]
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

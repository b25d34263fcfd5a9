import BelfryInAppRenderer
import BelfryRules
import Foundation

/// How in-app messages are shown on this device (IAM-6, IAM-12).
public struct InAppOptions: Hashable, Sendable {
    /// Seconds from the end of one message to the next one; 0 to 86,400. It does not apply to inline messages and to
    /// messages that the app shows by id.
    public var minimumGap: TimeInterval = 30
    /// How many messages are shown in one session (EVT-6); nil for any number; 1 to 1,000.
    public var maximumPerSession: Int?
    /// How many messages are shown on one day of the device's calendar; nil for any number; 1 to 1,000.
    public var maximumPerDay: Int?
    /// The URL schemes that messages may open. Add the app's own schemes here. `javascript`, `data`, `file` and other
    /// schemes that run or read something on the device are rejected.
    public var linkSchemes: Set<String> = InAppLinks.standardSchemes
    /// Whether scripts in the marketer's HTML may run, in a sandbox. If false, only the SDK's own script runs.
    public var allowsScripts = false

    /// The standard: half a minute between two messages, no caps, links to pages, mail and phone, no scripts.
    public init() {}
}

extension InAppOptions {
    /// Throws for invalid values, with the field.
    func validate() throws(BelfryError) {
        typealias Limits = ConfigurationLimits
        try Limits.check(minimumGap, in: Limits.inAppGap, field: "inApp.minimumGap")
        if let maximumPerSession {
            try Limits.check(maximumPerSession, in: Limits.inAppCap, field: "inApp.maximumPerSession")
        }
        if let maximumPerDay { try Limits.check(maximumPerDay, in: Limits.inAppCap, field: "inApp.maximumPerDay") }
        for scheme in linkSchemes.sorted() {
            try Self.check(scheme)
        }
    }

    var policy: InAppPolicy {
        InAppPolicy(
            minimumGap: minimumGap, maximumPerSession: maximumPerSession, maximumPerDay: maximumPerDay
        )
    }

    /// The schemes in lower case.
    var comparedSchemes: Set<String> { Set(linkSchemes.map { $0.lowercased() }) }

    private static func check(_ scheme: String) throws(BelfryError) {
        guard isScheme(scheme), !InAppLinks.refusedSchemes.contains(scheme.lowercased()) else {
            throw BelfryError(
                .invalidConfiguration,
                "'\(scheme.prefix(64))' is not allowed. Allowed are URL schemes such as https or the app's own, except "
                    + "those that run or read something on the device.",
                field: "inApp.linkSchemes"
            )
        }
    }

    /// A letter, then letters, digits, `+`, `-` and `.` (RFC 3986 §3.1).
    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 64 else { return false }
        let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte | 0x20) }
        return isLetter(first)
            && text.utf8.allSatisfy {
                isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
            }
    }
}

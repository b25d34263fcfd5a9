import BelfryInAppRenderer
import BelfryRules
import Foundation

/// How in-app messages are shown on this device (IAM-6, IAM-12).
public struct InAppOptions: Hashable, Sendable {
    /// Seconds from the end of one message to the next one; 0 to 86,400. One that the app asks for by its id, and one for
    /// a place in the app's own views, does not wait for it.
    public var minimumGap: TimeInterval = 30
    /// How many messages are shown in one session (EVT-6); nil for any number; 1 to 1,000.
    public var maximumPerSession: Int?
    /// How many messages are shown on one day of the device's calendar; nil for any number; 1 to 1,000.
    public var maximumPerDay: Int?
    /// What an address in a message may begin with. Add the app's own schemes here. `javascript`, `data`, `file` and
    /// what else runs or reads something on the device is refused.
    public var linkSchemes: Set<String> = InAppLinks.standardSchemes
    /// Script in the marketer's own HTML may run, in its sandbox. Off, only the SDK's own does.
    public var allowsScripts = false

    /// The standard: half a minute between two messages, no caps, links to pages, mail and phone, no scripts.
    public init() {}
}

extension InAppOptions {
    /// Refuses what cannot work, naming the field.
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

    /// The schemes as they are compared.
    var comparedSchemes: Set<String> { Set(linkSchemes.map { $0.lowercased() }) }

    private static func check(_ scheme: String) throws(BelfryError) {
        guard isScheme(scheme), !InAppLinks.refusedSchemes.contains(scheme.lowercased()) else {
            throw BelfryError(
                .invalidConfiguration,
                "'\(scheme.prefix(64))' is not allowed; a scheme of addresses is, such as https or the app's own, "
                    + "and none that runs or reads something on the device.",
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

import BelfryModel

/// The client of Mobile Engage v3 that registered a device, by its own description (WIRE-29).
package struct V3Client: Hashable, Sendable {
    /// The longest version, in characters.
    package static let maximumVersionLength = 32

    /// The value of its `X-EMARSYS-SDK-VERSION`.
    package let version: String
    /// A notification channel of the app on Android. Without one the system shows nothing, and a campaign may name
    /// none.
    package var channel: String?

    package init(version: String, channel: String? = nil) {
        self.version = version
        self.channel = channel
    }

    /// The numbers of the version. Empty for a version that does not begin with numbers.
    fileprivate var numbers: [Int] {
        var numbers: [Int] = []
        for part in version.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            let digits = Substring(part.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            guard let number: Int = WholeNumber.read(digits) else { break }
            numbers.append(number)
        }
        return numbers
    }
}

/// The format of a push, as the client on the device reads it.
package enum PushFormat: Hashable, Sendable, CaseIterable {
    /// The format of Belfry's SDK, and of apps that read pushes themselves.
    case belfry
    /// The format of clients of Mobile Engage v3.
    case v3
    /// The format of v3 clients from 3.7.4 on: on Android they read a flat form, which has a place for the app's own
    /// keys.
    case v3Flat

    private static let firstFlat = [3, 7, 4]

    package init(_ client: V3Client?) {
        guard let client else {
            self = .belfry
            return
        }
        self = client.numbers.lexicographicallyPrecedes(Self.firstFlat) ? .v3 : .v3Flat
    }
}

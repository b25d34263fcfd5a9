import BelfryModel

/// The client of Mobile Engage v3 that registered a device, as it has told of itself (WIRE-29).
package struct V3Client: Hashable, Sendable {
    /// Characters.
    package static let maximumVersionLength = 32

    /// What its `X-EMARSYS-SDK-VERSION` says.
    package let version: String
    /// A notification channel of the app on Android: without one, the system shows nothing, and a campaign may name none.
    package var channel: String?

    package init(version: String, channel: String? = nil) {
        self.version = version
        self.channel = channel
    }

    /// Its numbers; none for a version that has no such beginning.
    fileprivate var numbers: [Int] {
        var numbers: [Int] = []
        for part in version.split(separator: ".", omittingEmptySubsequences: false) {
            guard let number: Int = WholeNumber.read(String(part.prefix { $0.isASCII && $0.isNumber })) else { break }
            numbers.append(number)
        }
        return numbers
    }
}

/// The form of a push: what the client on the device reads.
package enum PushFormat: Hashable, Sendable, CaseIterable {
    /// Belfry's SDK, and apps that read their pushes themselves.
    case belfry
    /// Clients of Mobile Engage v3.
    case v3
    /// The same from 3.7.4 on: on Android they read a flat form, which has a place for the app's own keys.
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

/// What a device and its person have had of in-app messages.
struct InAppSight: Hashable, Sendable {
    /// A silent push told the device to fetch.
    var wasWoken = false
    /// The versions that were on the screen, by campaign and in order.
    var shown: [String: [Int]] = [:]
    /// The campaigns whose messages are on the device now.
    var held: Set<String> = []
}

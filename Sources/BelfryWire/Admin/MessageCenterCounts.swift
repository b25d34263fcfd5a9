/// How a campaign's message was met in message centres: sums over all devices (ENG-4).
public struct MessageCenterCounts: Hashable, Sendable, Codable {
    /// How often it was shown in a list.
    public var displays: Int
    /// Devices that have shown it.
    public var displayedBy: Int
    /// How often it was opened.
    public var opens: Int
    /// Devices on which it was opened.
    public var openedBy: Int

    public init(displays: Int, displayedBy: Int, opens: Int, openedBy: Int) {
        self.displays = displays
        self.displayedBy = displayedBy
        self.opens = opens
        self.openedBy = openedBy
    }
}

/// How a campaign's in-app message was met: sums over all devices (IAM-9, LED-3).
public struct InAppCounts: Hashable, Sendable, Codable {
    /// Devices that have downloaded it.
    public var downloaded: Int
    /// How often it was on screen.
    public var displays: Int
    /// Devices that have shown it.
    public var displayedBy: Int
    public var clicks: Int
    /// Devices on which it was clicked.
    public var clickedBy: Int
    public var dismissals: Int
    /// Clicks by the button's id, of the buttons that were clicked most. A tap on the message itself is under none.
    public var clicksByButton: [String: Int]
    /// How often it was due and was not shown, by the reason's word.
    public var notShown: [String: Int]

    public init(
        downloaded: Int = 0, displays: Int = 0, displayedBy: Int = 0, clicks: Int = 0, clickedBy: Int = 0,
        dismissals: Int = 0, clicksByButton: [String: Int] = [:], notShown: [String: Int] = [:]
    ) {
        self.downloaded = downloaded
        self.displays = displays
        self.displayedBy = displayedBy
        self.clicks = clicks
        self.clickedBy = clickedBy
        self.dismissals = dismissals
        self.clicksByButton = clicksByButton
        self.notShown = notShown
    }
}

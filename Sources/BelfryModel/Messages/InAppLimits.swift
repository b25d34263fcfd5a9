/// The limits and defaults of in-app messages.
public enum InAppLimits {
    /// The default priority; the message with the lowest number is shown first (IAM-6).
    public static let standardPriority = 999
    public static let maximumPriority = 1_000_000
    /// The default number of displays per person; for an inline message the default is the maximum.
    public static let standardDisplayLimit = 1
    public static let maximumDisplayLimit = 1_000
    /// The maximum delay between the trigger and the display in seconds: one day.
    public static let maximumDelaySeconds = 86_400
    /// The maximum number of events that a trigger may wait for.
    public static let maximumOccurrence = 10_000
    /// The maximum length in characters.
    public static let maximumViewIDLength = 64
    /// The maximum length in characters.
    public static let maximumTitleLength = 200
    /// The maximum length in characters.
    public static let maximumBodyLength = 2_000
    /// The maximum length of an image's alternative text in characters.
    public static let maximumImageAltLength = 200
    public static let maximumButtons = 5
    /// The maximum length in characters.
    public static let maximumButtonIDLength = 64
    /// The maximum length in characters.
    public static let maximumButtonTextLength = 64
    /// The maximum number of actions of a message of type ``InAppType/action``.
    public static let maximumActions = 10
    /// The maximum size of a message's HTML in bytes: 256 KiB.
    public static let maximumHTMLBytes = 262_144
    /// The maximum number of an app's in-app campaigns that are active at the same time.
    public static let maximumActive = 100
    /// The maximum size of their contents together in bytes, as the server stores them: 16 MiB.
    public static let maximumActiveBytes = 16_777_216
}

/// The limits of in-app messages, and what counts where a message says nothing.
public enum InAppLimits {
    /// A message's priority when it names none; the lowest number goes first (IAM-6).
    public static let standardPriority = 999
    public static let maximumPriority = 1_000_000
    /// How often a person sees a message when it does not say; one that is inline has the maximum.
    public static let standardDisplayLimit = 1
    public static let maximumDisplayLimit = 1_000
    /// Seconds between the trigger and the display: one day.
    public static let maximumDelaySeconds = 86_400
    /// The last of the events that a trigger may wait for.
    public static let maximumOccurrence = 10_000
    /// Characters.
    public static let maximumViewIDLength = 64
    /// Characters.
    public static let maximumTitleLength = 200
    /// Characters.
    public static let maximumBodyLength = 2_000
    /// Characters of what is said of an image to whoever does not see it.
    public static let maximumImageAltLength = 200
    public static let maximumButtons = 5
    /// Characters.
    public static let maximumButtonIDLength = 64
    /// Characters.
    public static let maximumButtonTextLength = 64
    /// Actions of a message of type ``InAppType/action``.
    public static let maximumActions = 10
    /// Bytes of a message's HTML: 256 KiB.
    public static let maximumHTMLBytes = 262_144
    /// In-app campaigns of one app that are active at the same time.
    public static let maximumActive = 100
    /// Bytes of what they say together, as the server stores it: 16 MiB.
    public static let maximumActiveBytes = 16_777_216
}

extension InAppReason {
    /// Under this word counts what is none of ours: words that a client invents would grow without end.
    public static let otherWord = "other"

    private static let codes: Set = [
        "anotherShown", "onScreen", "outranked", "paused", "vetoed",
        "deferred", "exhausted", "expired", "notStarted", "sessionCap",
        "dayCap", "notForeground", "recalled", "personChanged", "edited",
        "loadFailed", "displayFailed", "noPresenter", "noScreen", "delayed",
        "occurrence", "inline",
    ]

    /// The word under which a device's reason is counted.
    public static func countedWord(_ word: String) -> String {
        codes.contains(word) ? word : otherWord
    }
}

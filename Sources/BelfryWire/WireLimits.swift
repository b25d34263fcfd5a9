/// The limits of every request (WIRE-23, SEC-2).
public enum WireLimits {
    /// 1 MiB; the response to more is 413.
    public static let maximumBodyBytes = 1_048_576
    /// Elements of `events` in one request; the response to more is 413, and the client sends smaller batches.
    public static let maximumEventsPerRequest = 10_000
    /// Nesting of a JSON body; the response to deeper nesting is 400.
    public static let maximumJSONDepth = 32
    /// A request order further ahead of the server than this counts as the server's time (WIRE-21).
    public static let maximumClockAheadSeconds = 300.0
}

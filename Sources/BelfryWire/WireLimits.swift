/// The bounds of every request (WIRE-23, SEC-2).
public enum WireLimits {
    /// 1 MiB; more is answered with 413.
    public static let maximumBodyBytes = 1_048_576
    /// Elements of `events` in one request; more is answered with 413, and the client sends less at once.
    public static let maximumEventsPerRequest = 10_000
    /// Nesting of a JSON body; deeper is answered with 400.
    public static let maximumJSONDepth = 32
    /// A request order further ahead of the server than this counts as the server's time (WIRE-21).
    public static let maximumClockAheadSeconds = 300.0
}

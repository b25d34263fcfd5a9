/// Header names of the device API; HTTP compares them case-insensitively (WIRE-20, WIRE-21).
public enum HeaderNames {
    public static let clientID = "X-Client-Id"
    public static let clientState = "X-Client-State"
    public static let contactToken = "X-Contact-Token"
    public static let requestOrder = "X-Request-Order"
    /// Belfry's own header: v3 clients send their time only in the order (EVT-9).
    public static let clientTime = "X-Client-Time"
    public static let idempotencyKey = "Idempotency-Key"
}

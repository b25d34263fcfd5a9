import BelfryPush

/// Sends requests to a push service. The delivery engine implements it.
package protocol PushTransport: Sendable {
    /// Every request gets exactly one result, in any order and on any thread; `index` is its index in `requests`.
    func send(
        _ requests: [PushRequest], by route: PushRoute,
        onResponse: @escaping @Sendable (_ index: Int, _ result: PushResult) -> Void
    )
}

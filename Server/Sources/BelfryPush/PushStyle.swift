/// How a push reaches a device.
package enum PushStyle: Hashable, Sendable, CaseIterable {
    /// As a notification that people see.
    case alert
    /// As a word to the app that nobody sees (PUSH-7).
    case silent
}

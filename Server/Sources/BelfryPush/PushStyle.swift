/// How a push reaches a device.
package enum PushStyle: Hashable, Sendable, CaseIterable {
    /// As a notification that people see.
    case alert
    /// As a word to the app that nobody sees (PUSH-7).
    case silent
    /// As a new number on the app's icon and nothing else that people notice (BADGE-1).
    case badge
}

/// A request and its result.
package struct V3Exchange: Hashable, Sendable {
    /// The part of the story that it belongs to.
    package let chapter: String
    package let request: V3Request
    /// Nil when none came.
    package let answer: V3Response?
    /// Why none came.
    package let fault: String?
}

import BelfryModel

/// Everything that is wrong with a content's templates, each with its field.
public struct TemplateFaults: Error, Hashable, Sendable {
    /// One of them.
    public struct Fault: Hashable, Sendable {
        /// From the content on: `title`, `action.url`, `custom.sku`, `defaults.city`.
        public let field: String
        public let refusal: Refusal

        public init(field: String, refusal: Refusal) {
            self.field = field
            self.refusal = refusal
        }
    }

    /// In the order of the fields; never empty.
    public let faults: [Fault]

    public init(_ faults: [Fault]) {
        self.faults = faults
    }
}

import BelfryModel

extension DeviceAnswer {
    /// What became of a registration, for operators: they have no id to ask for a receipt with (REG-20, REG-25).
    public struct Registration: Hashable, Sendable, Codable {
        public var revision: Int64
        /// `processed` or `partlyRejected`.
        public var status: ReceiptStatus
        public var processedAt: String
        /// As on the receipt.
        public var rejected: [RejectedField]

        public init(revision: Int64, status: ReceiptStatus, processedAt: String, rejected: [RejectedField]) {
            self.revision = revision
            self.status = status
            self.processedAt = processedAt
            self.rejected = rejected
        }
    }
}

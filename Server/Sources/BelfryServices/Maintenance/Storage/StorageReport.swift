/// The store's disk as people are shown it, in bytes.
package struct StorageReport: Hashable, Sendable {
    package let space: DiskSpace
    /// So much is to stay free; 0 without a floor.
    package let floor: Int64
    /// Whether what makes the store grow is refused.
    package let isLow: Bool
}

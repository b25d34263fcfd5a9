/// At most so many messages to one device within a period that moves with the clock (CAMP-5).
public struct FrequencyCap: Hashable, Sendable, Codable {
    public var count: Int
    public var within: ISODuration

    public init(count: Int, within: ISODuration) {
        self.count = count
        self.within = within
    }
}

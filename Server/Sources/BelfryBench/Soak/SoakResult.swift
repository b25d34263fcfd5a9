/// Whether a server's resource use is stable: compares the time after the warm-up with the end.
struct SoakResult: Encodable {
    /// One sixth of the time.
    struct Part: Encodable {
        let memory: Double
        let files: Double
        let p50: Double
        let p99: Double
        /// The 99th percentile of each kind of call, to see which one has become slower.
        let p99ByCall: [String: Double]

        init(_ samples: some Collection<SoakSample>) {
            memory = samples.compactMap { $0.memoryBytes.map(Double.init) }.median
            files = samples.compactMap { $0.openFiles.map(Double.init) }.median
            let times = samples.reduce(into: [SoakAction: [Double]]()) { times, sample in
                times.merge(sample.milliseconds) { $0 + $1 }
            }
            let all = times.values.flatMap { $0 }
            p50 = all.median.rounded(places: 2)
            p99 = all.quantile(0.99).rounded(places: 2)
            p99ByCall = Dictionary(
                uniqueKeysWithValues: times.map { ($0.rawValue, $1.quantile(0.99).rounded(places: 2)) }
            )
        }
    }

    /// The second sixth, because the first is the warm-up.
    let early: Part
    let late: Part

    init(_ samples: [SoakSample]) {
        let sixth = samples.count / 6
        early = Part(samples.dropFirst(sixth).prefix(max(sixth, 1)))
        late = Part(samples.suffix(max(sixth, 1)))
    }

    var isMet: Bool {
        late.memory <= early.memory * SoakReport.mostMemoryGrowth
            && late.files <= early.files + SoakReport.mostFileGrowth
            && late.p99 <= early.p99 * SoakReport.mostSlowdown
    }
}

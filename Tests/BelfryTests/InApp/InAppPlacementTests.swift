import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

@testable import Belfry

struct InAppPlacementTests {
    private static let phone = CGRect(x: 0, y: 0, width: 393, height: 852)
    private static let tablet = CGRect(x: 0, y: 0, width: 1_194, height: 834)

    @Test("IAM-12: types other than banners fill the screen, whatever their height", arguments: InAppType.allCases)
    func whole(type: InAppType) {
        guard !InAppPlacement.isBanner(type) else { return }
        for height in [nil, 0, 100, 10_000] as [Double?] {
            #expect(InAppPlacement.frame(of: type, height: height, in: Self.phone) == Self.phone)
        }
    }

    @Test("IAM-12: a banner is at its edge, as high as its content")
    func banners() {
        let top = InAppPlacement.frame(of: .bannerTop, height: 140, in: Self.phone)
        #expect(top == CGRect(x: 0, y: 0, width: 393, height: 140))
        let bottom = InAppPlacement.frame(of: .bannerBottom, height: 140, in: Self.phone)
        #expect(bottom == CGRect(x: 0, y: 712, width: 393, height: 140))
        let wide = InAppPlacement.frame(of: .bannerTop, height: 140, in: Self.tablet)
        #expect(wide == CGRect(x: 277, y: 0, width: 640, height: 140))
    }

    @Test("IAM-12: a banner is on the screen and leaves half of it to the app, whatever height the page says")
    func bounded() {
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<1_000 {
            let bounds = CGRect(
                x: 0, y: 0, width: CGFloat.random(in: 200...1_400, using: &generator),
                height: CGFloat.random(in: 200...1_400, using: &generator)
            )
            let heights: [Double?] = [
                nil, -10, .infinity, -.infinity, Double.random(in: 0...3_000, using: &generator),
            ]
            for type in [InAppType.bannerTop, .bannerBottom] {
                for height in heights {
                    let frame = InAppPlacement.frame(of: type, height: height, in: bounds)
                    let place = "\(type) \(String(describing: height)) in \(bounds)"
                    #expect(bounds.insetBy(dx: -0.001, dy: -0.001).contains(frame) || frame.height == 0, "\(place)")
                    #expect(frame.height >= 0 && frame.height <= bounds.height / 2, "\(place)")
                    let gap = type == .bannerTop ? frame.minY - bounds.minY : bounds.maxY - frame.maxY
                    #expect(abs(gap) < 0.001, "\(place)")
                }
            }
        }
    }
}

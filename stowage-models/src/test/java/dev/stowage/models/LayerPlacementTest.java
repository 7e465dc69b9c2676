package dev.stowage.models;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LayerPlacementTest {
    private static int[] devices(LayerPlacement placement) {
        int[] devices = new int[placement.layers() + 1];
        for (int part = 0; part < devices.length; part++) {
            devices[part] = placement.deviceOf(part);
        }
        return devices;
    }

    @Test
    void theProcessorHasTheFirstLayersAndTheOthersFollowInOrder() {
        assertThat(devices(LayerPlacement.ofLayers(6, 2, 3))).containsExactly(2, 0, 0, 1, 1, 1, 1);
    }

    @Test
    void theOutputGoesWithTheLastLayer() {
        assertThat(LayerPlacement.ofLayers(6, 3, 3).outputDevice()).isEqualTo(1);
        assertThat(LayerPlacement.ofLayers(6, 6, 0).outputDevice()).isZero();
        assertThat(LayerPlacement.ofLayers(6, 0, 0).outputDevice()).isEqualTo(2);
    }

    @Test
    void oneMoreThanThereAreLayersIsTheOutput() {
        assertThat(devices(LayerPlacement.ofLayers(3, 3, 1))).containsExactly(0, 0, 0, 1);
        assertThat(devices(LayerPlacement.ofLayers(3, 2, 2))).containsExactly(0, 0, 1, 1);
    }

    @Test
    void whatComesBeforeTheLayersIsOnTheLastDevice() {
        assertThat(LayerPlacement.ofLayers(6, 3, 3).deviceOf(LayerPlacement.INPUT))
                .isEqualTo(2);
    }

    @Test
    void everyDeviceKnowsItsLayers() {
        LayerPlacement placement = LayerPlacement.ofLayers(6, 2, 3);
        assertThat(placement.layersOf(0)).containsExactly(1, 2);
        assertThat(placement.layersOf(1)).containsExactly(3, 4, 5);
        assertThat(placement.layersOf(2)).containsExactly(0);
    }

    @Test
    void whatItSaysForTheCommandLineGivesTheSamePlacement() {
        for (int first = 0; first <= 5; first++) {
            for (int second = 0; first + second <= 5; second++) {
                LayerPlacement placement = LayerPlacement.inRow(4, first, second);
                placement.layersOn().ifPresent(text -> {
                    String[] counts = text.split(",", -1);
                    LayerPlacement same =
                            LayerPlacement.ofLayers(4, Integer.parseInt(counts[0]), Integer.parseInt(counts[1]));
                    assertThat(devices(same)).as(text).isEqualTo(devices(placement));
                });
            }
        }
    }

    @Test
    void onlyAnOutputApartFromLayersOnTheProcessorCannotBeSaidOnTheCommandLine() {
        assertThat(LayerPlacement.inRow(4, 3, 1).layersOn()).isEmpty();
        assertThat(LayerPlacement.inRow(4, 1, 0).layersOn()).isEmpty();
        assertThat(LayerPlacement.inRow(4, 4, 1).layersOn()).contains("4,1");
        assertThat(LayerPlacement.inRow(4, 2, 3).layersOn()).contains("2,2");
        assertThat(LayerPlacement.inRow(4, 0, 0).layersOn()).contains("0,0");
    }

    @Test
    void devicesAreFilledInOrderWithTheLastPartsThatFit() {
        long[] bytes = {10, 10, 10, 10, 5};
        assertThat(LayerPlacement.distribute(bytes, 100)).containsExactly(5);
        assertThat(LayerPlacement.distribute(bytes, 20, 15)).containsExactly(2, 2);
        assertThat(LayerPlacement.distribute(bytes, 9, 25)).containsExactly(0, 3);
        assertThat(LayerPlacement.distribute(bytes, 4)).containsExactly(0);
        assertThat(LayerPlacement.distribute(bytes)).isEmpty();
    }
}
